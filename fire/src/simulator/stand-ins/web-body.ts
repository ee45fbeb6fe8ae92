/** What our packages use of the body of a web-standard request or response. */
export interface WebBody {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>
    cancel(): Promise<void>
  }
  cancel(): Promise<void>
}

/** Stands in for a web stream that has its one piece already: the real one costs more than the job. */
export function webBody(content: string | Uint8Array): WebBody {
  const cancel = (): Promise<void> => Promise.resolve()
  return {
    cancel,
    getReader() {
      let read = false
      return {
        cancel,
        read() {
          if (read) return Promise.resolve({ done: true })
          read = true
          const value = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
          return Promise.resolve({ done: false, value })
        },
      }
    },
  }
}
