import type { JobStep } from './flow.ts'

/** The key of a job: its step, and the index of its item in a list. */
export function jobKey(step: string, index: number, isMapped: boolean): string {
  return isMapped ? `${step}#${index}` : step
}

/** The keys of all jobs that a step may order. */
export function jobKeysOf(id: string, { map }: JobStep): readonly string[] {
  return Array.from({ length: map?.most ?? 1 }, (_, index) => jobKey(id, index, map !== undefined))
}

/** The step and the item of a key; undefined for an invalid key. */
export function readJobKey(key: string): { readonly step: string; readonly index: number } | undefined {
  const parts = /^([A-Za-z][A-Za-z0-9_-]*)(?:#(0|[1-9]\d{0,3}))?$/.exec(key)
  return parts?.[1] === undefined ? undefined : { step: parts[1], index: Number(parts[2] ?? 0) }
}
