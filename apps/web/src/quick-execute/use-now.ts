import { useEffect, useState } from 'react'
import { useSite } from '../site/site.ts'

/** The current time in Unix seconds, updated at this interval while `isWaiting` is set. */
export function useNow(isWaiting: boolean, everyMs = 200): number {
  const { now: first } = useSite()
  const [now, setNow] = useState(first)
  useEffect(() => {
    setNow(Date.now() / 1_000)
    if (!isWaiting) return undefined
    const timer = setInterval(() => setNow(Date.now() / 1_000), everyMs)
    return () => clearInterval(timer)
  }, [isWaiting, everyMs])
  return now
}
