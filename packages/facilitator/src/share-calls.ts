/** Callers with the same question share a call in progress; the next question starts a new call. */
export function shareCalls<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  const underWay = new Map<Question, Promise<Answer>>()
  return question => {
    const shared = underWay.get(question)
    if (shared !== undefined) return shared
    const asked = ask(question).finally(() => underWay.delete(question))
    underWay.set(question, asked)
    return asked
  }
}
