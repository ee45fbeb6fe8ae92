import { createBodyBuffer, type BodyFault } from './body-buffer.ts'

/** The part of a web stream that is used; every `ReadableStream` of bytes fits. */
export interface WebStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
    cancel(): Promise<unknown>
  }
}

/**
 * Reads the body of a `Request` or a `Response` to its end.
 *
 * Resolves to its bytes, or to a fault, with the stream cancelled, when the body exceeds its limits. Rejects when the stream
 * breaks off.
 *
 * @param body null when there is no body
 * @example
 * const body = await readWebStream(response.body, MAX_RESPONSE_BYTES)
 * if (typeof body === 'string') throw new Error(`the answer is ${body}`)
 */
export async function readWebStream(
  body: WebStream | null,
  maxBytes: number,
): Promise<Uint8Array | BodyFault> {
  const buffer = createBodyBuffer(maxBytes)
  const reader = body?.getReader()
  for (;;) {
    const next = await reader?.read()
    if (next?.value === undefined) return buffer.bytes()
    const fault = buffer.add(next.value)
    if (fault === undefined) continue
    // The sender may react slowly to the cancellation, so it is not awaited.
    reader?.cancel().catch(() => undefined)
    return fault
  }
}
