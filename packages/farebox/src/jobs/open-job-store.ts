import type { Clock } from '../clock.ts'
import type { OpenJobStore } from './job-store.ts'
import { createMemoryStore } from './memory-store.ts'

/** Placeholder until the durable stores land: to be replaced by their author. */
export async function openJobStore(setting: string, clock: Clock): Promise<OpenJobStore> {
  return { store: createMemoryStore(clock), name: setting, shared: false, close: async () => undefined }
}
