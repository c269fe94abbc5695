/** The master secret of every test instance that does not set another one. */
export const testSecret = 'Zm9yIHRlc3RzIG9ubHksIDQ4IHJhbmRvbSBieXRlcyBpbiBiYXNlNjQ'
