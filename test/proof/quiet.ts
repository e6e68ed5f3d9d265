/** Imported before all else by the commands: what the flows log is not what a proof prints. */
process.env.LOG_LEVEL ??= 'SILENT';
process.env.METRICS_DISABLED ??= 'true';
