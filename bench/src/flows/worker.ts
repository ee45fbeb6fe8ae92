// A worker of the platform, started by path: drives runs and their jobs, from SIGUSR2 until SIGTERM.

import { once } from 'node:events'
import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
import { startRuns } from '@farebox/platform/src/runs/drive/start-runs'
import { closeParts, openParts } from './platform-parts.ts'

const parts = await openParts(process.env['DATABASE_URL'] ?? '', process.env['DATABASE_SCHEMA'] ?? '')
const ending = once(process, 'SIGTERM')
const beginning = once(process, 'SIGUSR2')
// A signal listener does not keep a process alive.
const alive = setInterval(() => undefined, 60_000)
process.stdout.write('ready\n')
await Promise.race([beginning, ending])
const work = [startJobs(parts), startRuns(parts)]
await ending
clearInterval(alive)
await Promise.all(work.map(one => one.stop()))
await closeParts(parts)
