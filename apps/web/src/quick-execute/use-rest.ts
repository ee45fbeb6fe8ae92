import { useEffect, useState } from 'react'

/** The second press of a slow double click must not be a second order. */
const RESTING_MS = 1_500

/** True for a moment after something has become true on the page. */
export function useRest(isTrue: boolean): boolean {
  const [hadRest, setRested] = useState(isTrue)
  useEffect(() => {
    if (!isTrue) return setRested(false)
    const timer = setTimeout(() => setRested(true), RESTING_MS)
    return () => clearTimeout(timer)
  }, [isTrue])
  return isTrue && !hadRest
}
