/** Stops one part that was started. */
export type End = () => Promise<unknown>

/**
 * Starts several things that depend on earlier ones. They are stopped in the opposite order: by `stop`, or at once when a
 * later one does not start.
 *
 * @param start adds the stop function of each started thing to the list that it receives
 * @throws the error of `start`, after everything was stopped
 */
export async function startInOrder<Started>(
  start: (started: End[]) => Promise<Started>,
): Promise<Started & { stop(): Promise<void> }> {
  const started: End[] = []
  const stop = async (): Promise<void> => {
    for (const end of started.splice(0).toReversed()) await end()
  }
  try {
    return { ...(await start(started)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}
