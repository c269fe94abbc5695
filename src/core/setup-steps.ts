/** The state of a step of the set-up. */
export interface SetupStepFact {
  readonly isDone: boolean
  /** The id of the resource of the step, where there is one: the application to try. */
  readonly subject?: string
}

/** One step from an empty instance to people who sign in. A feature lists its steps where it registers; the console shows them. */
export interface SetupStep {
  /** `brand`, `test-sign-in`: small letters with dashes. */
  readonly name: string
  /** Keys of the configuration that do it. One that file, environment or flag set cannot be changed in the console. */
  readonly keys: readonly string[]
  /** Reads what an index answers. */
  look(): Promise<SetupStepFact>
}
