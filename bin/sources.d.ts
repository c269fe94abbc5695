export const root: string
export const digestOfSources: () => string
