/**
 * A moment ahead as people read it: `14:03:22 (in 2 min)`, with its date where it is not today.
 *
 * @param seconds Unix seconds of the moment, and of now
 */
export function untilTime(seconds: number, nowSeconds: number): string {
  const [moment, now] = [new Date(seconds * 1_000), new Date(nowSeconds * 1_000)]
  const time = moment.toLocaleTimeString('en-GB')
  const day = moment.toDateString() === now.toDateString() ? '' : `${moment.toLocaleDateString('en-CA')} `
  return `${day}${time} (in ${span(seconds - nowSeconds)})`
}

function span(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`
}
