/** The master secret of every instance in the tests that names no other. */
export const testSecret = 'Zm9yIHRlc3RzIG9ubHksIDQ4IHJhbmRvbSBieXRlcyBpbiBiYXNlNjQ'
