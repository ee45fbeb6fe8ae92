// npm run bench:rest: the cost of a running local economy (npm start) without traffic: CPU time of each of its
// processes. npm run bench:rest -- --folder .farebox --seconds 120. Linux only: it reads /proc.

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { root, tellFailure } from './prepare.mjs'

/** Of the kernel's clock ticks, in which /proc counts CPU time (USER_HZ, the same on every common Linux). */
const TICKS_PER_SECOND = 100
const GOAL_PERCENT = 3

try {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: join(root, '.farebox') },
      seconds: { type: 'string', default: '120' },
    },
  })
  await measure(values.folder, Number(values.seconds))
} catch (error) {
  tellFailure(error)
}

async function measure(folder, seconds) {
  const owner = JSON.parse(await readFile(join(folder, 'chain', 'owner.pid'), 'utf8')).pid
  const before = new Map((await familyOf(owner)).map(one => [one.pid, one.ticks]))
  await delay(seconds * 1_000)
  const after = (await familyOf(owner)).map(one => ({
    ...one,
    ms: ((one.ticks - (before.get(one.pid) ?? 0)) / TICKS_PER_SECOND) * 1_000,
  }))
  for (const { ms, pid, name } of after.toSorted((one, other) => other.ms - one.ms))
    process.stdout.write(`${String(ms).padStart(7)} ms  ${String(pid).padStart(7)}  ${name}\n`)
  const totalMs = after.reduce((sum, { ms }) => sum + ms, 0)
  const percent = totalMs / seconds / 10
  process.stdout.write(
    `${String(totalMs).padStart(7)} ms in ${seconds} s: ${percent.toFixed(2)} % of a core\n`,
  )
  process.exitCode = percent < GOAL_PERCENT ? 0 : 1
}

/** A process and all its descendants. */
async function familyOf(owner) {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name)).map(Number)
  const all = (await Promise.all(pids.map(readOne))).filter(one => one !== undefined)
  const family = new Set([owner])
  for (let size = 0; size !== family.size;) {
    size = family.size
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid)
  }
  return all.filter(({ pid }) => family.has(pid))
}

async function readOne(pid) {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    // After the name, which may hold spaces: state, parent, and from the 14th field of all on the CPU times (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      ticks: Number(fields[11]) + Number(fields[12]),
      name: nameOf(commandLine),
    }
  } catch {
    return undefined
  }
}

function nameOf(commandLine) {
  const words = commandLine.split('\0').filter(word => word !== '')
  const shown = words.map(word => word.replace(/^\/.*\/(?=[^/]+\/[^/]+$)/, '')).join(' ')
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown
}
