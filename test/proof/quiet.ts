/** Imported before all else by the commands: what the flows log is not what a proof prints. */
process.env.POWERTOOLS_LOG_LEVEL ??= 'SILENT';
process.env.POWERTOOLS_METRICS_DISABLED ??= 'true';
