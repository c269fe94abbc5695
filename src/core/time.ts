/** Durations, for configuration and rules: rules may not import a clock. */
export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
export const hourMs = hourSeconds * 1000
export const dayMs = daySeconds * 1000

/** Longest wait of a sign-in for its next step (wire behaviour, section 2). */
export const pendingSignInSeconds = 300
