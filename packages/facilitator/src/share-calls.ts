/** A call that is under way is shared by all that ask the same meanwhile; the next asks again. */
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
