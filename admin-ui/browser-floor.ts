/** The oldest supported browsers for pages and console, in the form of the build's target; `README.md` names them for people. */
export const browserFloor = ['safari16.4', 'ios16.4', 'firefox115', 'chrome111', 'edge111'] as const
