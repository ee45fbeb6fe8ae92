// Watches over the processes of handlers from outside of the agent: one that blocks does not notice that the agent is
// gone, and would run for ever. Told each pid by guard.ts.
const pids = new Set<number>()

process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => undefined)
process.on('message', message => {
  const { watch, forget } = message as { readonly watch?: unknown; readonly forget?: unknown }
  if (typeof watch === 'number') {
    pids.add(watch)
    process.send?.({ watched: watch }, undefined, {}, () => undefined)
  }
  if (typeof forget === 'number') pids.delete(forget)
})
process.on('disconnect', () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // Gone by itself.
    }
  }
  process.exit(0)
})
