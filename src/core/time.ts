/** Lengths of time, for configuration and rules alike: rules may import no clock. */
export const hourSeconds = 3_600
export const daySeconds = 24 * hourSeconds
export const hourMs = hourSeconds * 1000
export const dayMs = daySeconds * 1000
