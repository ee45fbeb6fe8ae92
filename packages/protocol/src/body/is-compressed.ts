/**
 * Are the bytes compressed by gzip or Zstandard, as some clients do with request bodies? Compressed job requests are not
 * unpacked: a kilobyte may expand to a gigabyte.
 */
export function isCompressed(body: Uint8Array): boolean {
  return MAGIC.some(bytes => bytes.every((byte, at) => body[at] === byte))
}

/** RFC 1952 and RFC 8878. */
const MAGIC = [
  [0x1f, 0x8b],
  [0x28, 0xb5, 0x2f, 0xfd],
]
