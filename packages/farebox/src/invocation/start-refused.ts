/** Several reasons why a start is refused, reported one after the other. */
export class StartRefused extends AggregateError {
  override readonly name = 'StartRefused'
}
