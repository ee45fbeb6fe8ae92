import { createRequire } from 'node:module'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread with a program that lies beside the caller's file, without the process's environment. It does not keep
 * the process alive. From sources, as in tests, tsx loads it: threads do not inherit the loader of their process.
 *
 * @param name without its ending
 * @param from `import.meta.url` of the caller
 */
export function startThread(name: string, from: string, options: WorkerOptions): Worker {
  const program = new URL(`./${name}${from.slice(-3)}`, from)
  const worker = from.endsWith('.ts')
    ? new Worker(loadSource(program, from), { ...options, ...FROM_SOURCES })
    : new Worker(program, { ...options, env: {} })
  worker.unref()
  return worker
}

const FROM_SOURCES: WorkerOptions = { eval: true, execArgv: ['--conditions', '@farebox/source'], env: {} }

function loadSource(program: URL, from: string): string {
  // `resolve` knows the file for `require` alone; the one for `import` is beside it.
  const loader = JSON.stringify(
    createRequire(from)
      .resolve('tsx/esm/api')
      .replace(/\.cjs$/, '.mjs'),
  )
  return `import(${loader}).then(({ register }) => { register(); return import(${JSON.stringify(program.href)}) })`
}
