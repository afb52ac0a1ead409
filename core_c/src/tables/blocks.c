/* Compressed tables: reads their values (docs/tables.md).
 *
 * Idea: values come from memory, from cached blocks, or from the file, in pieces.
 * Invariants: every compressed block is checked by its CRC-32 before it is used, so a file that changes while it is
 * open gives RF_TB_DAMAGED, never a wrong value. A reader belongs to one thread.
 * Example: rf_tb_read of entry 5000 of a table with blocks of 1,024 entries reads block 4 and keeps it. */
#define _POSIX_C_SOURCE 200809L /* pread */
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tables/tables.h"

/* ---- numbers in files, lowest byte first ---- */

static uint64_t read_number(const unsigned char *at, unsigned bytes)
{
    uint64_t number = 0;
    for (unsigned i = bytes; i-- > 0;)
        number = number << 8 | at[i];
    return number;
}

/* CRC-32 as zlib has it, eight bytes at a time. */
typedef struct {
    uint32_t rows[8][256];
} crc_tables;

static void fill_crc_tables(crc_tables *t)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        t->rows[0][i] = crc;
    }
    for (unsigned k = 1; k < 8; k++)
        for (unsigned i = 0; i < 256; i++)
            t->rows[k][i] = t->rows[k - 1][i] >> 8 ^ t->rows[0][t->rows[k - 1][i] & 255];
}

static uint32_t crc32_of(const crc_tables *t, const unsigned char *at, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (; size >= 8; at += 8, size -= 8) {
        const uint64_t next = read_number(at, 8) ^ crc;
        crc = 0;
        for (unsigned k = 0; k < 8; k++)
            crc ^= t->rows[7 - k][next >> 8 * k & 255];
    }
    for (; size > 0; at++, size--)
        crc = crc >> 8 ^ t->rows[0][(crc ^ *at) & 255];
    return ~crc;
}

/* ---- files ---- */

/* Never blocks: a file that is not regular (any more) fails when it is read, or by its checksums. */
static int open_file(const rf_tb_blocks *b) { return open(b->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); }

/* Reads `size` bytes; false if the file does not have them. */
static bool read_file(int file, unsigned char *out, size_t size, uint64_t at)
{
    while (size > 0) {
        const ssize_t got = pread(file, out, size, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        at += (uint64_t)got;
        size -= (size_t)got;
    }
    return true;
}

/* ---- blocks ---- */

enum { CACHE_WAYS = 16 };

typedef struct {
    const rf_tb_source *source;
    uint64_t block;
    unsigned char *values;
    size_t capacity;
} cached_block;

typedef struct {
    unsigned oldest;
    cached_block blocks[CACHE_WAYS];
} cache_set;

typedef struct {
    const rf_tb_blocks *blocks;
    int file;
} open_file_of;

/* Compressed blocks are read in pieces, because a call of the system takes as long as decompressing a block. A piece
 * has all of each block that begins in its first PIECE bytes, except blocks that are longer than TAIL. */
enum { PIECE = 1 << 14, TAIL = 1 << 11, PIECE_SETS = 256, PIECE_WAYS = 4, MAX_OPEN_FILES = 8 };

typedef struct {
    const rf_tb_blocks *blocks;
    uint64_t number;
    unsigned char *bytes;
} piece;

struct rf_tb_reader {
    rf_decompress decompress;
    void *context;
    cache_set *sets;
    uint64_t set_mask;
    crc_tables crc;
    unsigned files, oldest_file;
    open_file_of file[MAX_OPEN_FILES];
    piece pieces[PIECE_SETS][PIECE_WAYS]; /* once its set is full, a piece is not kept: others stay useful */
    bool in_order;        /* blocks are read in order: only the first set is used, and its pieces are replaced */
    unsigned oldest_piece;
    unsigned char *block; /* one compressed block that no piece has */
    size_t block_capacity;
    rf_material damaged; /* the last class of which a block could not be read */
};

rf_tb_reader *rf_tb_reader_new(rf_decompress decompress, void *context)
{
    rf_tb_reader *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->decompress = decompress;
    r->context = context;
    r->sets = calloc(1, sizeof *r->sets);
    if (r->sets == NULL) {
        free(r);
        return NULL;
    }
    fill_crc_tables(&r->crc);
    return r;
}

static void free_sets(rf_tb_reader *r)
{
    for (uint64_t set = 0; set <= r->set_mask; set++)
        for (unsigned i = 0; i < CACHE_WAYS; i++)
            free(r->sets[set].blocks[i].values);
    free(r->sets);
}

bool rf_tb_reader_resize(rf_tb_reader *r, uint64_t blocks)
{
    uint64_t count = 1;
    while (count * CACHE_WAYS < blocks)
        count *= 2;
    cache_set *sets = calloc(count, sizeof *sets);
    if (sets == NULL)
        return false;
    free_sets(r);
    r->sets = sets;
    r->set_mask = count - 1;
    return true;
}

static void close_files(rf_tb_reader *r)
{
    while (r->files > 0)
        close(r->file[--r->files].file);
}

void rf_tb_reader_free(rf_tb_reader *r)
{
    if (r == NULL)
        return;
    free_sets(r);
    close_files(r);
    for (unsigned set = 0; set < PIECE_SETS; set++)
        for (unsigned i = 0; i < PIECE_WAYS; i++)
            free(r->pieces[set][i].bytes);
    free(r->block);
    free(r);
}

/* The open file of a class; -1 if it cannot be opened. */
static int file_of(rf_tb_reader *r, const rf_tb_blocks *b)
{
    for (unsigned i = 0; i < r->files; i++)
        if (r->file[i].blocks == b)
            return r->file[i].file;
    int file = open_file(b);
    if (file < 0 && errno == EMFILE && r->files > 0) {
        close_files(r);
        file = open_file(b);
    }
    if (file < 0)
        return -1;
    unsigned slot = r->files;
    if (slot < MAX_OPEN_FILES) {
        r->files++;
    } else {
        slot = r->oldest_file++ % MAX_OPEN_FILES;
        close(r->file[slot].file);
    }
    r->file[slot] = (open_file_of){b, file};
    return file;
}

/* The piece with this number; NULL if there is no room for it, or if it cannot be read. */
static const unsigned char *piece_of(rf_tb_reader *r, const rf_tb_blocks *b, uint64_t number)
{
    piece *set = r->pieces[r->in_order ? 0 : rf_mix((uintptr_t)b, number) % PIECE_SETS], *p = NULL;
    for (unsigned i = 0; i < PIECE_WAYS && set[i].blocks != NULL; i++)
        if (set[i].blocks == b && set[i].number == number)
            return set[i].bytes;
    for (unsigned i = 0; i < PIECE_WAYS && p == NULL; i++)
        if (set[i].blocks == NULL)
            p = &set[i];
    if (p == NULL && r->in_order)
        p = &set[r->oldest_piece++ % PIECE_WAYS];
    if (p == NULL)
        return NULL;
    const uint64_t begin = number * PIECE, left = b->data_size - begin;
    p->blocks = NULL;
    if (p->bytes == NULL)
        p->bytes = malloc(PIECE + TAIL);
    const int file = p->bytes == NULL ? -1 : file_of(r, b);
    if (file < 0 || !read_file(file, p->bytes, left < PIECE + TAIL ? (size_t)left : PIECE + TAIL, b->data_at + begin))
        return NULL;
    p->blocks = b;
    p->number = number;
    return p->bytes;
}

/* Compressed bytes, good until the next are read; NULL if they cannot be read or memory ran out. */
static const unsigned char *packed_bytes(rf_tb_reader *r, const rf_tb_blocks *b, uint64_t begin, size_t size)
{
    const unsigned char *bytes = size > TAIL ? NULL : piece_of(r, b, begin / PIECE);
    if (bytes != NULL)
        return bytes + begin % PIECE;
    if (r->block == NULL || r->block_capacity < size) {
        free(r->block);
        r->block = malloc(size + 1);
        r->block_capacity = r->block == NULL ? 0 : size;
    }
    const int file = r->block == NULL ? -1 : file_of(r, b);
    return file >= 0 && read_file(file, r->block, size, b->data_at + begin) ? r->block : NULL;
}

static size_t bytes_of_block(const rf_tb_blocks *b, uint64_t entries, unsigned width, uint64_t block)
{
    const uint64_t begin = block * b->block_entries, left = entries - begin;
    return (size_t)(left < b->block_entries ? left : b->block_entries) * width;
}

/* Reads a block of `size` bytes; false if it is damaged or cannot be read, or if memory ran out. */
static bool read_block(rf_tb_reader *r, const rf_tb_blocks *b, uint64_t block, void *out, size_t size)
{
    const uint64_t begin = read_number(b->offsets + 8 * block, 8), end = read_number(b->offsets + 8 * block + 8, 8);
    /* zstd makes a block that it cannot compress a little longer. */
    if (begin > end || end > b->data_size || end - begin > size + size / 8 + 512)
        return false;
    const size_t packed = (size_t)(end - begin);
    const unsigned char *data = packed_bytes(r, b, begin, packed);
    return data != NULL && crc32_of(&r->crc, data, packed) == read_number(b->checksums + 4 * block, 4) &&
           r->decompress(r->context, out, size, data, packed) == size;
}

int64_t rf_tb_unpack(const rf_tb_blocks *b, uint64_t entries, unsigned width, rf_decompress decompress, void *context,
                     void *out)
{
    rf_tb_reader *r = rf_tb_reader_new(decompress, context);
    if (r == NULL)
        return 0;
    r->in_order = true;
    unsigned char *at = out;
    uint64_t block = 0;
    for (; block < b->blocks; block++) {
        const size_t size = bytes_of_block(b, entries, width, block);
        if (!read_block(r, b, block, at, size))
            break;
        at += size;
    }
    rf_tb_reader_free(r);
    return block == b->blocks ? -1 : (int64_t)block;
}

/* The values of a block, NULL if it is damaged or cannot be read, or if memory ran out. */
static const unsigned char *block_of(rf_tb_reader *r, const rf_tb_source *t, uint64_t block)
{
    cache_set *set = &r->sets[rf_mix(t->material, block) & r->set_mask];
    for (unsigned i = 0; i < CACHE_WAYS; i++)
        if (set->blocks[i].source == t && set->blocks[i].block == block)
            return set->blocks[i].values;
    cached_block *k = &set->blocks[set->oldest];
    set->oldest = (set->oldest + 1) % CACHE_WAYS;
    const size_t size = bytes_of_block(&t->blocks, t->entries, t->width, block);
    k->source = NULL;
    if (k->capacity < size) {
        free(k->values);
        k->capacity = 0;
        k->values = malloc(size);
        if (k->values == NULL)
            return NULL;
        k->capacity = size;
    }
    if (!read_block(r, &t->blocks, block, k->values, size))
        return NULL;
    k->source = t;
    k->block = block;
    return k->values;
}

bool rf_tb_read(rf_tb_reader *r, const rf_tb_source *t, uint64_t index, unsigned *value)
{
    const unsigned char *values = t->values;
    if (values == NULL) {
        if (r == NULL)
            return false;
        const uint64_t block = index / t->blocks.block_entries;
        values = block_of(r, t, block);
        if (values == NULL) {
            r->damaged = t->material;
            return false;
        }
        index -= block * t->blocks.block_entries;
    }
    if (t->width == 1)
        *value = rf_tb_widen(values[index]);
    else
        *value = (unsigned)read_number(values + index * 2, 2);
    return true;
}

rf_material rf_tb_reader_damaged(const rf_tb_reader *r) { return r->damaged; }
