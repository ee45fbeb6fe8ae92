/** What a worker process is told by the bench. */
export type Told = 'go' | 'stop'

/** What it answers: that it can begin, and that it has ended. */
export type Answered = 'ready' | 'stopped'

/** Lets a worker program begin and end when the bench says so. */
export async function workWhenTold(work: () => Promise<{ stop(): Promise<unknown> }>): Promise<void> {
  const answer = (text: Answered): void => void process.send?.(text)
  let running: { stop(): Promise<unknown> } | undefined
  process.on('message', (told: Told) => {
    const act = async (): Promise<void> => {
      if (told === 'go') running = await work()
      else {
        await running?.stop()
        answer('stopped')
        process.disconnect()
      }
    }
    act().catch((error: unknown) => {
      process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
      process.exit(1)
    })
  })
  answer('ready')
}
