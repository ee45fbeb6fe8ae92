// Loaded into an attacked process by `--import`: at SIGUSR2 it collects garbage and writes down what is left.

import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const file = join(process.env.FIRE_MEMORY_FOLDER, String(process.pid))

process.on('SIGUSR2', () => {
  collect()
  // What a first collection found to be free outside the heap is given back after it.
  setTimeout(report, 50)
})

function report() {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  // Whole or not at all, because it is waited for.
  writeFileSync(`${file}.part`, String(heapUsed + external))
  renameSync(`${file}.part`, file)
}
