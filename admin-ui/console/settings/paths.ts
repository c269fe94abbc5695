/** The screen of the settings' versions. */
export const settingsHistoryPath = '/admin/settings/history'
