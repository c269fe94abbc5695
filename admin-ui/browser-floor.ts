/** The oldest supported browsers for pages and console, in the syntax of Vite's `build.target`. `README.md` lists them by name. */
export const browserFloor = ['safari16.4', 'ios16.4', 'firefox115', 'chrome111', 'edge111'] as const
