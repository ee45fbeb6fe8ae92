import { createBodyBuffer, type BodyFault } from './body-buffer.ts'

/** The part of a Node stream that is used; request streams and undici's response streams fit. */
export interface PieceStream {
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
}

/** The limits for reading a body. */
export interface NodeStreamLimits {
  readonly maxBytes: number
  /** Called before this many bytes in total are held in memory; returns false to refuse them. */
  readonly hasRoom?: (bytes: number) => boolean
}

/** Why there is no body. `gone`: the sender disconnected before its end. */
export type UnreadBody = BodyFault | 'no room' | 'gone'

/**
 * Reads a stream to its end. Starts reading at once, because an unread stream keeps a Buffer for each chunk.
 *
 * Resolves to the bytes, or to the fault as soon as it is known; later chunks are discarded. Never rejects.
 */
export function readNodeStream(
  stream: PieceStream,
  limits: NodeStreamLimits,
): Promise<Uint8Array | UnreadBody> {
  const { maxBytes, hasRoom } = limits
  return new Promise(resolve => {
    const buffer = createBodyBuffer(maxBytes)
    let isOver = false
    const end = (body: Uint8Array | UnreadBody): void => {
      isOver = true
      resolve(body)
    }
    stream.on('data', piece => {
      if (isOver) return
      const fault = buffer.add(piece)
      if (fault !== undefined) end(fault)
      else if (hasRoom?.(buffer.length) === false) end('no room')
    })
    stream.on('end', () => isOver || end(buffer.bytes()))
    stream.on('close', () => isOver || end('gone'))
    stream.on('error', () => isOver || end('gone'))
  })
}
