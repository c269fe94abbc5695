/** Durations for configuration and rules. Rules must not import a clock. */
export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
export const hourMs = hourSeconds * 1000
export const dayMs = daySeconds * 1000

/** How long a sign-in may wait for its next step (wire behaviour, section 2). */
export const pendingSignInSeconds = 300
