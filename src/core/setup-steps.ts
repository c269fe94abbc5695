/** The state of a setup step. */
export interface SetupStepFact {
  readonly isDone: boolean
  /** Id of the step's resource, such as the application to test. */
  readonly subject?: string
}

/** A step of setting up an empty instance. Features list their steps in their registration; the console shows them. */
export interface SetupStep {
  /** `brand`, `test-sign-in`: lower case with dashes. */
  readonly name: string
  /** Configuration keys of the step. The console cannot change keys that file, environment or flag set. */
  readonly keys: readonly string[]
  /** Reads only from indexes. */
  look(): Promise<SetupStepFact>
}
