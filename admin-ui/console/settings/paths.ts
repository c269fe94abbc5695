/** The versions of the settings, with the way back to each. */
export const settingsHistoryPath = '/admin/settings/history'
