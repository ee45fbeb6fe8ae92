import {
  startChild,
  type RunningChild,
  type StartChildOptions,
} from '@farebox/local/src/processes/child-process'
import { endWithUs } from '@farebox/local/src/processes/end-with-us'

/** Starts a program that ends with this process; resolves once a line of it says that it is ready. */
export async function startWithUs(
  options: Omit<StartChildOptions<true>, 'readReady'> & { readonly ready: string | RegExp },
): Promise<RunningChild<true>> {
  const ready = new RegExp(options.ready)
  const child = await startChild({ ...options, readReady: line => (ready.test(line) ? true : undefined) })
  void child.exited.then(endWithUs(child.pid))
  return child
}
