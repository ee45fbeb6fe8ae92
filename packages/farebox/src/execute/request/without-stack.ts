/**
 * Creates an error without a stack trace, for refusals that any caller can cause at any rate and whose stack is not
 * used. Collecting the stack costs about as much as all other checks of a forged payment except for the signature
 * recovery.
 */
export function withoutStack<Refusal extends Error>(make: () => Refusal): Refusal {
  const limit = Error.stackTraceLimit
  // Reflect.set does not throw when the built-in objects are frozen.
  Reflect.set(Error, 'stackTraceLimit', 0)
  try {
    return make()
  } finally {
    Reflect.set(Error, 'stackTraceLimit', limit)
  }
}
