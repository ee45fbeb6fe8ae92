/** Bytes on the wire for a byte of body. */
const CHUNK = '1\r\na\r\n'
const CHUNKS_A_WRITE = 10_000

/** So many one-byte chunks of `Transfer-Encoding: chunked`, in writes of 60 KB where nothing else is said. */
export function* oneByteChunks(count: number, chunksAWrite = CHUNKS_A_WRITE): Generator<Buffer> {
  const write = Buffer.from(CHUNK.repeat(chunksAWrite))
  for (let left = count; left > 0; left -= chunksAWrite)
    yield left >= chunksAWrite ? write : write.subarray(0, left * CHUNK.length)
}
