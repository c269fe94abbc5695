/** Durations. Configuration and rules take them from here, because rules must not import a clock. */
export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
export const hourMs = hourSeconds * 1000
export const dayMs = daySeconds * 1000

/** A sign-in that waits for its next step expires after this number of seconds (wire behaviour, section 2). */
export const pendingSignInSeconds = 300
