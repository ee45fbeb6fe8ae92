import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread without the process's environment and Node's options for it. It does not keep the process alive.
 *
 * @param program `import.meta.resolve('#built/…')`: as built, also where a test has loaded the caller's source
 */
export function startThread(program: string, options: WorkerOptions): Worker {
  const worker = new Worker(new URL(program), { ...options, env: {}, execArgv: [] })
  worker.unref()
  return worker
}
