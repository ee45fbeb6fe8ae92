import { createBodyBuffer, type BodyFault } from './body-buffer.ts'

/** The part of a Node stream that is used: those of requests and of undici's answers fit. */
export interface PieceStream {
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown
  on(event: 'end' | 'close' | 'error', listener: () => void): unknown
}

/** How a body is read. */
export interface NodeStreamLimits {
  readonly maxBytes: number
  /** Asked before so many bytes are held in all; false where there is no room for them. */
  readonly hasRoom?: (bytes: number) => boolean
}

/** Why there is no body. `gone`: the sender went away before its end. */
export type UnreadBody = BodyFault | 'no room' | 'gone'

/**
 * Reads a stream to its end. Begins at once: what a stream that nobody reads has taken in is a Buffer for each piece.
 *
 * Resolves to the bytes, or to why there are none as soon as that is known; what comes after is dropped. Never rejects.
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
