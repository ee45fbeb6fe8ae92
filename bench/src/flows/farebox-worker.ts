// A worker of the platform: drives runs, and the jobs that they order.

import { startJobs } from '@farebox/platform/src/jobs/drive/start-jobs'
import { startRuns } from '@farebox/platform/src/runs/drive/start-runs'
import type { Background } from '@farebox/platform/platform-parts'
import { closeParts, openParts } from './platform-parts.ts'
import { workWhenTold } from './worker-messages.ts'

const parts = await openParts(process.env['DATABASE_URL'] ?? '', process.env['DATABASE_SCHEMA'] ?? '')

let work: readonly Background[] = []
await workWhenTold({
  async begin() {
    work = [startJobs(parts), startRuns(parts)]
    await Promise.resolve()
  },
  async rest() {
    await Promise.all(work.map(one => one.stop()))
    work = []
  },
  stop: () => closeParts(parts),
})
