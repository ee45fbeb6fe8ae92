import type { VirtualProcess } from '../time/virtual-process.ts'

/** Waits for work of a process at most so long; rejects with a `TimeoutError`, as an aborted request does. */
export function withTimeout<Result>(
  process: VirtualProcess,
  timeoutMs: number,
  work: Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const cancel = process.after(timeoutMs, () =>
      reject(new DOMException('no whole answer in time', 'TimeoutError')),
    )
    work.then(
      result => {
        cancel()
        resolve(result)
      },
      (error: unknown) => {
        cancel()
        reject(error)
      },
    )
  })
}
