/** Whether a setup step is done. */
export interface SetupStepFact {
  readonly isDone: boolean
  /** Id of the resource that the step is about, such as the application whose sign-in is to be tested. */
  readonly subject?: string
}

/** A step in setting up a new instance. Features list their steps in their registration, and the console shows the steps. */
export interface SetupStep {
  /** For example `brand` or `test-sign-in`: lower case with dashes. */
  readonly name: string
  /** The configuration keys that the step sets. The console cannot change a key that a file, environment variable or option sets. */
  readonly keys: readonly string[]
  /** Finds out whether the step is done. Queries must be answered from an index. */
  look(): Promise<SetupStepFact>
}
