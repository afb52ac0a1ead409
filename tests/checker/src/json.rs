//! JSON as far as the header of a certificate or a line of endings needs it: objects, lists, texts and whole numbers.

use crate::bytes::{fail, reject_if, Result};

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Object(Vec<(String, Json)>),
    List(Vec<Json>),
    Text(String),
    Number(i64),
}

/// Read one value that takes up the whole text.
pub fn read(text: &str) -> Result<Json> {
    let mut reader = Reader { text: text.as_bytes(), at: 0 };
    let value = reader.value(0)?;
    reader.space();
    reject_if(reader.at != text.len(), "the JSON has text after its object")?;
    Ok(value)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }
    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }
    fn skip(&mut self, byte: u8) -> Result<()> {
        if self.peek() != byte {
            return fail(format!("this is no JSON at byte {}", self.at + 1));
        }
        self.at += 1;
        Ok(())
    }
    /// The parts of an object or list, up to its end.
    fn parts(&mut self, end: u8, mut part: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.at += 1;
        self.space();
        let mut first = true;
        while self.peek() != end {
            if !std::mem::take(&mut first) {
                self.skip(b',')?;
            }
            part(self)?;
            self.space();
        }
        self.skip(end)
    }
    fn value(&mut self, depth: u32) -> Result<Json> {
        self.space();
        reject_if(depth > 4, "the JSON is nested too deeply")?;
        match self.peek() {
            b'{' => {
                let mut fields: Vec<(String, Json)> = Vec::new();
                self.parts(b'}', |r| {
                    r.space();
                    let name = r.text()?;
                    r.space();
                    r.skip(b':')?;
                    if fields.iter().any(|f| f.0 == name) {
                        return fail(format!("the JSON has the field '{name}' twice"));
                    }
                    fields.push((name, r.value(depth + 1)?));
                    Ok(())
                })?;
                Ok(Json::Object(fields))
            }
            b'[' => {
                let mut items = Vec::new();
                self.parts(b']', |r| r.value(depth + 1).map(|item| items.push(item)))?;
                Ok(Json::List(items))
            }
            b'"' => Ok(Json::Text(self.text()?)),
            _ => self.number(),
        }
    }
    fn number(&mut self) -> Result<Json> {
        let start = self.at;
        while matches!(self.peek(), b'0'..=b'9' | b'-') {
            self.at += 1;
        }
        let text = String::from_utf8_lossy(&self.text[start..self.at]);
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let plain = !digits.is_empty() && !digits.contains('-') && (digits == "0" || !digits.starts_with('0'));
        match text.parse() {
            Ok(number) if plain && digits.len() <= 18 => Ok(Json::Number(number)),
            _ => fail(format!("expected a whole number below 10^18 at byte {} of the JSON", start + 1)),
        }
    }
    fn text(&mut self) -> Result<String> {
        self.skip(b'"')?;
        let mut units = Vec::new();
        while self.peek() >= b' ' && self.peek() != b'"' {
            self.at += 1;
            units.push(if self.text[self.at - 1] == b'\\' { self.escaped()? } else { self.text[self.at - 1].into() });
        }
        self.skip(b'"')?;
        String::from_utf16(&units).map_err(|_| "the JSON has half a surrogate pair".into())
    }
    /// The UTF-16 unit of what follows a backslash.
    fn escaped(&mut self) -> Result<u16> {
        if let Some(plain) = b"\"\\/bfnrt".iter().position(|&c| c == self.peek()) {
            self.at += 1;
            return Ok(b"\"\\/\x08\x0c\n\r\t"[plain].into());
        }
        self.skip(b'u')?;
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.iter().all(u8::is_ascii_hexdigit));
        self.at += 4;
        let text = digits.and_then(|d| std::str::from_utf8(d).ok()).ok_or("the JSON has an escape without four digits")?;
        u16::from_str_radix(text, 16).map_err(|e| e.to_string())
    }
}

macro_rules! accessor {
    ($name:ident, $variant:ident, $type:ty) => {
        pub fn $name(&self) -> Result<&$type> {
            match self {
                Json::$variant(value) => Ok(value),
                _ => fail(concat!("the JSON has something other than a ", stringify!($name))),
            }
        }
    };
}

impl Json {
    accessor!(number, Number, i64);
    accessor!(text, Text, str);
    accessor!(list, List, [Json]);
    accessor!(fields, Object, [(String, Json)]);
    /// A field of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.fields().ok()?.iter().find(|f| f.0 == name).map(|f| &f.1)
    }
    pub fn need(&self, name: &str) -> Result<&Json> {
        self.get(name).ok_or(format!("the JSON lacks the field '{name}'"))
    }
    /// Check that an object has only these fields.
    pub fn only(&self, names: &[&str]) -> Result<()> {
        match self.fields()?.iter().find(|f| !names.contains(&f.0.as_str())) {
            Some(field) => fail(format!("the JSON has an unknown field '{}'", field.0)),
            None => Ok(()),
        }
    }
}
