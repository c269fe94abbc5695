/** The screen with all changes of settings. */
export const settingsHistoryPath = '/admin/settings/history'
