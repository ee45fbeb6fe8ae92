/** Notes what would have ended this process: an exception nobody caught, a rejection nobody handled. */
export interface ProcessWatch {
  /** What was noted since the last time, in words. */
  take(): string | undefined
  stop(): void
}

/** Begins to watch. While it does, the process lives on. */
export function watchProcess(): ProcessWatch {
  let noted: string | undefined
  const note = (thrown: unknown): void => {
    noted ??= `would have ended the process: ${describeAnything(thrown)}`
  }
  process.on('uncaughtException', note)
  process.on('unhandledRejection', note)
  return {
    take() {
      const taken = noted
      noted = undefined
      return taken
    },
    stop() {
      process.off('uncaughtException', note)
      process.off('unhandledRejection', note)
    },
  }
}

/** What was thrown, in words; what is thrown may throw when it is looked at. */
export function describeAnything(thrown: unknown): string {
  try {
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  } catch {
    return 'something that cannot be read'
  }
}
