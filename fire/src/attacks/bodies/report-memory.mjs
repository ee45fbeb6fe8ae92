// Loaded into an attacked process by `--import`: at SIGUSR2 it collects garbage and writes down the remaining memory.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const file = join(process.env.FIRE_MEMORY_FOLDER, String(process.pid))

process.on('SIGUSR2', () => {
  collect()
  // Memory outside the heap that a first collection found unused is released after it.
  setTimeout(report, 50)
})

function report() {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  // Written atomically, because another process waits for the file.
  writeFileSync(`${file}.part`, String(heapUsed + external))
  renameSync(`${file}.part`, file)
}
