// Stands in for `prom-client`: a history makes several facilitators, and nobody reads their metrics. The names
// are called with `new`, and what a constructor returns takes the place of what it was to make.

const silent = {
  inc: (): void => undefined,
  set: (): void => undefined,
  observe: (): void => undefined,
  startTimer: () => (): void => undefined,
}

/** Counts nothing. */
export function Counter(): typeof silent {
  return silent
}

/** Shows nothing. */
export function Gauge(): typeof silent {
  return silent
}

/** Measures nothing. */
export function Histogram(): typeof silent {
  return silent
}

/** Holds nothing. */
export function Registry(): object {
  return {}
}

/** Collects nothing. */
export function collectDefaultMetrics(): void {}
