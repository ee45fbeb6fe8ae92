import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a thread without the process's environment and Node options. It does not keep the process alive.
 *
 * @param program `import.meta.resolve('#built/…')`: the built program, even when a test loaded the caller from its
 *   source
 */
export function startThread(program: string, options: WorkerOptions): Worker {
  const worker = new Worker(new URL(program), { ...options, env: {}, execArgv: [] })
  worker.unref()
  return worker
}
