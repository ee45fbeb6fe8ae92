// Watches the handler processes from outside of the agent: a process whose handler blocks does not notice that the
// agent has ended, and would run forever. orphan-guard.ts sends it each pid.
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
      // The process has already ended.
    }
  }
  process.exit(0)
})
