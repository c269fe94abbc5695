/** The oldest browsers that pages and console are made for, as the build's target names them; `README.md` says it to people. */
export const browserFloor = ['safari16.4', 'ios16.4', 'firefox115', 'chrome111', 'edge111'] as const
