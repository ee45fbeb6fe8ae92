/**
 * Makes an error without its stack: for refusals that anybody can cause as often as they like, and whose stack nobody
 * reads. Collecting it costs about as much as all the other checks of a forged payment, its curve aside.
 */
export function withoutStack<Refusal extends Error>(make: () => Refusal): Refusal {
  const limit = Error.stackTraceLimit
  // Reflect, because it does not throw where somebody has frozen what is built in.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}
