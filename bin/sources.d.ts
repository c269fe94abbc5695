export const root: string
export const digestOfSources: () => string
export const digestOfPages: () => string
