/** Ends one thing that was started. */
export type End = () => Promise<unknown>

/**
 * Starts several things of which a later one needs the earlier. What was started is ended in the opposite order: by
 * `stop`, or at once where a later one does not start.
 *
 * @param start adds an end for each thing as it comes up, to the list it is given
 * @throws what `start` throws, once everything is ended again
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
